import { formatJson } from '../../components/json/format-json.ts'
import { filterInWords } from './filter-in-words.ts'

/** A filter in words. A text that is no filter stays as it is. */
export function FilterValue({ text }: { text: string }) {
  return filterInWords(text) ?? formatJson(text) ?? text
}
