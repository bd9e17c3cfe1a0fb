import { expect, test } from 'vitest'
import { toSpanContext, toTraceContext } from '../../src/telemetry/tracing.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test.each([
  `00-${TRACE}-${SPAN}-01`,
  // Later versions: https://www.w3.org/TR/trace-context/#versioning-of-traceparent
  `01-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`,
])('%s is passed on as version 00, with its tracestate', (traceParent) => {
  const context = toSpanContext(traceParent, 'vendor=1')
  expect(context).toMatchObject({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true })
  expect(context && toTraceContext(context)).toEqual({
    traceParent: `00-${TRACE}-${SPAN}-01`,
    traceState: 'vendor=1',
  })
})

test.each([
  null,
  '',
  `00-${TRACE}-${SPAN}-01-more`,
  `cc-${TRACE}-${SPAN}-01.more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}`,
])('%s is no trace', (traceParent) => {
  expect(toSpanContext(traceParent, 'vendor=1')).toBeNull()
})
