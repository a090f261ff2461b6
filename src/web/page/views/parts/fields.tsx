import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { ChoiceRow, NumberRow } from '../../words/option-table';

interface NumberFieldProps {
  readonly row: NumberRow;
  /** The initial value; undefined leaves the field empty. */
  readonly value: number | undefined;
  /** Called with undefined when the field is empty or its value is invalid. */
  readonly onValue: (value: number | undefined) => void;
  /** Called with true at each wrong character, with false once the input is complete: "1000" begins with "1" and "100". */
  readonly onValidity: (isWrong: boolean) => void;
}

/** An integer, or none. */
export function NumberField({ row, value, onValue, onValidity }: NumberFieldProps) {
  const { label, hint, unit, unitValue, least, most, usual = 'any' } = row;
  const isWrong = useSignal(false);
  const id = useId();
  const read = (input: HTMLInputElement) => {
    isWrong.value = !input.validity.valid;
    onValue(isWrong.value || input.value === '' ? undefined : input.valueAsNumber * unitValue);
    if (isWrong.value) onValidity(true);
  };
  return (
    <Field
      id={id}
      label={label}
      hint={isWrong.value ? `Enter an integer from ${least} to ${most}.` : hint}
      isWrong={isWrong.value}
    >
      <span class="row muted">
        <input
          id={`${id}-input`}
          type="number"
          inputMode="numeric"
          min={least}
          max={most}
          step={1}
          defaultValue={value === undefined ? '' : String(value / unitValue)}
          placeholder={String(usual)}
          aria-describedby={id}
          aria-invalid={isWrong.value}
          onInput={(event) => read(event.currentTarget)}
          onChange={(event) => onValidity(!event.currentTarget.validity.valid)}
        />
        <span>{unit}</span>
      </span>
    </Field>
  );
}

interface SelectFieldProps<Name extends string> {
  readonly row: Pick<ChoiceRow<Name>, 'label' | 'hint' | 'words' | 'usual'>;
  readonly value: Name | undefined;
  /** Called with undefined for the usual value. */
  readonly onValue: (value: Name | undefined) => void;
}

/** One of several names. */
export function SelectField<Name extends string>({ row, value, onValue }: SelectFieldProps<Name>) {
  const { label, hint, words, usual } = row;
  const id = useId();
  const choices = Object.entries(words) as [Name, string][];
  return (
    <Field id={id} label={label} hint={hint}>
      <select
        id={`${id}-input`}
        aria-describedby={id}
        onChange={(event) => onValue((event.currentTarget.value || undefined) as Name | undefined)}
      >
        {usual === undefined && <option value="">Default</option>}
        {choices.map(([name, text]) => (
          <option key={name} value={name === usual ? '' : name} selected={name === (value ?? usual)}>
            {name === usual ? `${text} (default)` : text}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface FieldProps {
  /** Id of the hint; with "-input" appended, of the control. */
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly isWrong?: boolean;
  readonly children: ComponentChildren;
}

/** A control with its name above it and a hint below. */
function Field({ id, label, hint, isWrong = false, children }: FieldProps) {
  return (
    <div class="field stack less">
      <label for={`${id}-input`}>{label}</label>
      {children}
      <span id={id} class={isWrong ? 'hint wrong' : 'hint'}>
        {hint}
      </span>
    </div>
  );
}
