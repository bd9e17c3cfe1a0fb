import { Autocomplete, Box, Checkbox, Group, Select } from '@mantine/core'
import { type ConditionProps, errorOf } from './condition-props.ts'
import type { Condition } from './conditions.ts'
import {
  KIND_LABELS,
  OPERATOR_LABELS,
  type Operator,
  VALUE_KINDS,
  type ValueKind,
} from './operators.ts'
import type { SuggestedField } from './suggest-fields.ts'
import { ValueField } from './value-field.tsx'

const SAMPLE = '$.total'

/** The field, the operator and the value of one condition, below each other in a narrow box. */
export function ConditionFields(props: ConditionProps) {
  const { condition, fields, onChange } = props
  const { path, op, kind, isNegated } = condition
  const kinds: readonly ValueKind[] = VALUE_KINDS[op]
  const suggested = fields.find((field) => field.path === path.trim())
  return (
    <>
      <Autocomplete
        flex="3 1 11rem"
        aria-label="Field"
        placeholder={SAMPLE}
        autoComplete="off"
        spellCheck={false}
        className="ph-mono"
        data={fields.map((field) => field.path)}
        limit={50}
        maxDropdownHeight={260}
        comboboxProps={{ withinPortal: true }}
        value={path}
        error={errorOf(props, 'path')}
        onChange={(text) => onChange(withPath(condition, text, fields))}
      />
      <Group gap="xs" wrap="nowrap" miw={0} flex="2 1 13.5rem">
        <Checkbox
          label="not"
          checked={isNegated}
          onChange={(event) => onChange({ ...condition, isNegated: event.currentTarget.checked })}
        />
        <Select
          flex={1}
          miw={0}
          aria-label="Operator"
          allowDeselect={false}
          data={Object.entries(OPERATOR_LABELS).map(([value, label]) => ({ value, label }))}
          value={op}
          error={errorOf(props, 'op')}
          onChange={(chosen) => chosen && onChange(withOperator(condition, chosen as Operator))}
        />
      </Group>
      {kinds.length > 0 && (
        <Group
          gap="xs"
          wrap="nowrap"
          align="start"
          miw={0}
          flex={kind === 'time' || op === 'in' ? '3 1 20rem' : '3 1 13rem'}
        >
          {kinds.length > 1 && (
            <Select
              w={110}
              flex="none"
              aria-label="Type of the value"
              allowDeselect={false}
              data={kinds.map((value) => ({ value, label: KIND_LABELS[value] }))}
              value={kind}
              onChange={(chosen) =>
                chosen &&
                onChange({
                  ...condition,
                  kind: chosen as ValueKind,
                  values: emptied(condition, chosen),
                })
              }
            />
          )}
          <Box flex={1} miw={0}>
            <ValueField
              condition={condition}
              choices={[...(suggested?.choices ?? [])]}
              error={errorOf(props, 'value')}
              onChange={(values) => onChange({ ...condition, values })}
            />
          </Box>
        </Group>
      )}
    </>
  )
}

/** What was typed as text or number can stay; true, false and null are chosen. */
function emptied({ kind, values }: Condition, chosen: string): readonly string[] {
  if (chosen === 'boolean') return ['true']
  return kind === 'boolean' || kind === 'null' ? [''] : values
}

/** A field from the list brings the type of its values, unless a value was typed already. */
function withPath(
  condition: Condition,
  path: string,
  fields: readonly SuggestedField[],
): Condition {
  const field = fields.find((one) => one.path === path)
  const isTyped = condition.values.some((text) => text !== '') && condition.kind !== 'boolean'
  if (!field || isTyped) return { ...condition, path }
  const { op } = condition
  if (field.kinds.has('array') && op === 'equals') return { ...condition, path, op: 'has' }
  const kinds: readonly ValueKind[] = VALUE_KINDS[op]
  const kind = kinds.find((one) => one !== 'null' && field.kinds.has(one))
  return kind
    ? { ...condition, path, kind, values: kind === 'boolean' ? ['true'] : [''] }
    : { ...condition, path }
}

function withOperator(condition: Condition, op: Operator): Condition {
  const kinds: readonly ValueKind[] = VALUE_KINDS[op]
  const kind = kinds.includes(condition.kind) ? condition.kind : (kinds[0] ?? condition.kind)
  const values = kind === condition.kind ? condition.values : emptied(condition, kind)
  // "Is one of" can have no value yet, and every other operator has one field.
  const some = values.filter((text) => text !== '')
  return {
    ...condition,
    op,
    kind,
    values: op === 'in' ? some : [some[0] ?? (kind === 'boolean' ? 'true' : '')],
  }
}
