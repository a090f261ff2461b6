import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint: string;
}

interface NumberFieldProps extends FieldProps {
  readonly unit: string;
  readonly least: number;
  readonly most: number;
  /** At first; undefined leaves the field empty. */
  readonly value: number | undefined;
  /** What an empty field stands for. */
  readonly placeholder: string;
  /** Undefined when the field is empty, or holds what cannot be used. */
  readonly onValue: (value: number | undefined) => void;
  /** Wrong as soon as it is typed, right once it is done: "1000" begins with "1" and "100". */
  readonly onValidity: (isWrong: boolean) => void;
}

/** An integer, or none. */
export function NumberField({
  label,
  unit,
  hint,
  least,
  most,
  value,
  placeholder,
  onValue,
  onValidity,
}: NumberFieldProps) {
  const isWrong = useSignal(false);
  const id = useId();
  const read = (input: HTMLInputElement) => {
    isWrong.value = !input.validity.valid;
    onValue(isWrong.value || input.value === '' ? undefined : input.valueAsNumber);
    if (isWrong.value) onValidity(true);
  };
  return (
    <div class="field">
      <label for={`${id}-input`}>{label}</label>
      <span class="with-unit">
        <input
          id={`${id}-input`}
          type="number"
          inputMode="numeric"
          min={least}
          max={most}
          step={1}
          defaultValue={value === undefined ? '' : String(value)}
          placeholder={placeholder}
          aria-describedby={id}
          aria-invalid={isWrong.value}
          onInput={(event) => read(event.currentTarget)}
          onChange={(event) => onValidity(!event.currentTarget.validity.valid)}
        />
        <span>{unit}</span>
      </span>
      <Hint id={id} isWrong={isWrong.value}>
        {isWrong.value ? `Enter an integer from ${least} to ${most}.` : hint}
      </Hint>
    </div>
  );
}

interface SelectFieldProps<Name extends string> extends FieldProps {
  readonly words: Readonly<Record<Name, string>>;
  readonly names: readonly Name[];
  /** What holds when nothing is chosen; undefined when it has no name. */
  readonly usual: Name | undefined;
  readonly value: Name | undefined;
  readonly onValue: (value: Name | undefined) => void;
}

/** One of several names. The first entry is what holds when nothing is chosen. */
export function SelectField<Name extends string>(props: SelectFieldProps<Name>) {
  const { label, hint, words, names, usual, value, onValue } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={`${id}-select`}>{label}</label>
      <select
        id={`${id}-select`}
        aria-describedby={id}
        onChange={(event) => onValue(names.find((name) => name === event.currentTarget.value))}
      >
        <option value="">
          {usual === undefined ? 'Default' : `Default (${words[usual].toLowerCase()})`}
        </option>
        {names.map((name) => (
          <option key={name} value={name} selected={name === value}>
            {words[name]}
          </option>
        ))}
      </select>
      <Hint id={id}>{hint}</Hint>
    </div>
  );
}

interface HintProps {
  readonly id: string;
  readonly isWrong?: boolean;
  readonly children: ComponentChildren;
}

function Hint({ id, isWrong = false, children }: HintProps) {
  return (
    <span id={id} class={isWrong ? 'hint wrong' : 'hint'}>
      {children}
    </span>
  );
}
