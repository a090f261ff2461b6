/** Icons, drawn with the colour of the text around them. Decorative: the control that holds one has a name. */

const PATHS = {
  upload: 'M12 16V4m0 0L7 9m5-5 5 5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3',
  download: 'M12 4v12m0 0 5-5m-5 5-5-5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3',
  compare: 'M12 3v18M8 7H4v10h4M16 7h4v10h-4',
  remove: 'M6 6l12 12M18 6 6 18',
  chevron: 'm7 10 5 5 5-5',
  retry: 'M4 12a8 8 0 1 1 2.5 5.8M4 19v-5h5',
  failed: 'M12 8v5m0 3.2v.1M12 3 2.5 20h19z',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  lock: 'M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11',
  shrink: 'M4 9h5V4M20 15h-5v5M9 9 4 4m11 11 5 5',
  previous: 'm14 7-5 5 5 5',
  next: 'm10 7 5 5-5 5',
} as const;

export function Icon({ name, size = 20 }: { readonly name: keyof typeof PATHS; readonly size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
