import { expect, test } from 'vitest'
import { pageOfId } from '../../../src/console/shell/page-of-id.ts'

const REST = '01m7xgjytfecrvetdfjkb8kqpk'

test.each([
  [`wh_${REST}`, `/webhooks/wh_${REST}`],
  [`evt_${REST}`, `/events/evt_${REST}`],
  [`msg_${REST}`, `/deliveries/msg_${REST}`],
])('%s leads to %s', (id, page) => {
  expect(pageOfId(id)).toBe(page)
})

test.each(['', 'msg_', `msg_${REST}0`, `key_${REST}`, `toString_${REST}`, `/msg_${REST}`, REST])(
  '%j has no page',
  (id) => {
    expect(pageOfId(id)).toBeNull()
  },
)
