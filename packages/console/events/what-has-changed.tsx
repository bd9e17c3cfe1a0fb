import { Difference } from '../components/difference.tsx'
import { formatJson } from '../components/json/format-json.ts'
import { Section } from '../components/page/section.tsx'

interface WhatHasChangedProps {
  readonly previousText: string | null | undefined
  readonly dataText: string | null
}

/** What differs in the data of an event from those before the change that it reports. Nothing without both. */
export function WhatHasChanged({ previousText, dataText }: WhatHasChangedProps) {
  if (previousText == null || dataText === null) return null
  return (
    <Section title="What has changed">
      <Difference
        before={formatJson(previousText) ?? previousText}
        after={formatJson(dataText) ?? dataText}
        label="Changed lines"
      />
    </Section>
  )
}
