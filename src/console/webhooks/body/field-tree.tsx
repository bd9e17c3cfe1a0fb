import { ActionIcon, Checkbox, Text } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import {
  allOf,
  type FieldNode,
  hasWords,
  isFound,
  type ObjectNode,
  shareOf,
} from './field-nodes.ts'
import { moveInTree } from './field-tree-keys.ts'
import { type Chosen, withPart } from './selection.ts'
import './body.css'

interface FieldTreeProps {
  /** The accessible name. */
  readonly label: string
  readonly node: ObjectNode
  readonly chosen: Chosen | null
  /** Whether objects are open at first. */
  readonly isOpen: boolean
  /** Only what has these words is shown. Empty: everything. */
  readonly words: string
  onChange(chosen: Chosen | null): void
}

/** The fields of an event type, each with a checkbox. To check an object checks all its fields. */
export function FieldTree({ label, ...props }: FieldTreeProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between its checkboxes
    <div onKeyDown={moveInTree}>
      <Fields {...props} label={label} />
    </div>
  )
}

function Fields({ label, node, chosen, onChange, ...shared }: FieldTreeProps) {
  const rowsOf = (kind: keyof Chosen) =>
    node[kind]
      .filter((one) => isFound(one, shared.words))
      .map((one) => (
        <Row
          key={`${kind} ${one.name}`}
          {...shared}
          node={one}
          isMember={kind === 'members'}
          chosen={chosen?.[kind].get(one.name) ?? null}
          onChange={(part) => {
            const order = node[kind].map(({ name }) => name)
            onChange(withPart(chosen, kind, one.name, part, order))
          }}
        />
      ))
  return (
    <ul className="ph-fields" aria-label={label}>
      {rowsOf('fields')}
      {rowsOf('members')}
    </ul>
  )
}

interface RowProps extends Omit<FieldTreeProps, 'label'> {
  readonly node: FieldNode
  readonly isMember: boolean
}

function Row({ node, isMember, chosen, words, onChange, ...shared }: RowProps) {
  const isObject = node.fields.length + node.members.length > 0
  const share = shareOf(node, chosen)
  const [isOpen, setOpen] = useState(shared.isOpen || share === 'some')
  const name = isMember ? `If the value is ${node.name}` : node.name
  return (
    <li>
      <div className="ph-field">
        {isObject ? (
          <ActionIcon
            size={20}
            mr={6}
            variant="subtle"
            color="gray"
            aria-expanded={isOpen}
            aria-label={`Fields of ${name}`}
            onClick={() => setOpen(!isOpen)}
          >
            <IconChevronRight size={14} className="ph-field-arrow" />
          </ActionIcon>
        ) : (
          <span className="ph-field-value" />
        )}
        <Checkbox
          size="sm"
          checked={share === 'all'}
          indeterminate={share === 'some'}
          label={<Label name={name} node={node} isMember={isMember} />}
          description={node.description}
          onChange={() => onChange(share === 'all' ? null : allOf(node))}
        />
      </div>
      {isObject && isOpen && (
        <Fields
          {...shared}
          label={`Fields of ${name}`}
          node={node}
          chosen={chosen}
          // Of an object that has the words, everything is shown.
          words={hasWords(node, words) ? '' : words}
          onChange={onChange}
        />
      )}
    </li>
  )
}

interface LabelProps {
  readonly name: string
  readonly node: FieldNode
  readonly isMember: boolean
}

function Label({ name, node: { type }, isMember }: LabelProps) {
  return (
    <>
      <span className={isMember ? undefined : 'ph-mono'}>{name}</span>{' '}
      {type === null ? (
        <Text span size="xs" c="var(--mantine-color-error)">
          not in the catalogue
        </Text>
      ) : (
        !isMember && (
          <Text span size="xs" c="dimmed" className="ph-mono">
            {type}
          </Text>
        )
      )}
    </>
  )
}
