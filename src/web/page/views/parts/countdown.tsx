import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

interface CountdownProps {
  readonly until: number;
  readonly before?: string;
}

/** Seconds left until `until` (milliseconds since the epoch). Hidden from screen readers, which would read every one. */
export function Countdown({ until, before = '' }: CountdownProps) {
  const left = useSignal(secondsTo(until));
  useEffect(() => {
    left.value = secondsTo(until);
    const timer = setInterval(() => (left.value = secondsTo(until)), 250);
    return () => clearInterval(timer);
  }, [until, left]);
  return (
    <span class="countdown" aria-hidden="true">
      {before}
      {left} s
    </span>
  );
}

function secondsTo(until: number): number {
  return Math.max(0, Math.ceil((until - Date.now()) / 1000));
}
