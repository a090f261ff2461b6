const PATHS = {
  upload: 'M12 16V4m0 0L7 9m5-5 5 5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3',
  download: 'M12 4v12m0 0 5-5m-5 5-5-5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3',
  compare: 'M12 3v18M8 7H4v10h4M16 7h4v10h-4',
  remove: 'M6 6l12 12M18 6 6 18',
  chevron: 'm7 10 5 5 5-5',
  retry: 'M4 12a8 8 0 1 1 2.5 5.8M4 19v-5h5',
  failed: 'M12 8v5m0 3.2v.1M12 3 2.5 20h19z',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  shrink: 'M4 9h5V4M20 15h-5v5M9 9 4 4m11 11 5 5',
  previous: 'm14 7-5 5 5 5',
  next: 'm10 7 5 5-5 5',
  share: 'M12 15V3.5m0 0L8 7.5m4-4 4 4M7 11H5v9.5h14V11h-2',
  split: 'M12 3v18M4 6h16v12H4z',
  result: 'M4 6h16v12H4zM4 16l5-5 4 4 2-2 5 5',
  difference: 'M9.5 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM14.5 5a7 7 0 1 1 0 14 7 7 0 0 1 0-14z',
  worst: 'M12 3v4m0 10v4M3 12h4m10 0h4M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  fit: 'M4 9V5h4M20 9V5h-4M4 15v4h4M20 15v4h-4M9 9.5h6v5H9z',
  actual: 'M6.5 9 8.5 8v8M15.5 9l2-1v8M12 10v.1m0 3.900v.1',
  minus: 'M6 12h12',
  plus: 'M6 12h12M12 6v12',
} as const;

export type IconName = keyof typeof PATHS;

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly title?: string;
  readonly class?: string;
  readonly onClick: (event: MouseEvent) => void;
}

export function IconButton({ icon, label, title = label, class: more = '', onClick }: IconButtonProps) {
  return (
    <button type="button" class={`icon-only ${more}`} aria-label={label} title={title} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
