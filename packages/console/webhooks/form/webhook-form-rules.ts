import type { Issue } from '../../api/use-action.ts'
import { labelsError } from '../../components/forms/labels-error.ts'
import { formatJson } from '../../components/json/format-json.ts'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import { type HeaderRow, keepsValue } from './header-row.ts'
import { NUMBER_SETTINGS } from './number-settings.ts'
import type { WebhookFormValues } from './webhook-form-values.ts'

/** Error messages by field path: `headers.0.name`. */
type ErrorsByPath = Record<string, string>

/**
 * Checks the form by the server's rules, as far as the browser can. `valuesStay`: whether stored header values may stay
 * hidden; not if the URL moves to another origin.
 */
export function checkWebhook(values: WebhookFormValues, valuesStay = true): ErrorsByPath {
  const headers = values.headers ?? []
  const errors: Record<string, string | false> = {
    url: checkUrl(values.url),
    description:
      values.description.length > 1_000 &&
      `${formatCount(values.description.length)} characters; the maximum is ${formatCount(1_000)}.`,
    eventSubscriptions:
      values.eventSubscriptions.length === 0 && t('Choose at least one event type.'),
    filter: checkFilter(values.filter),
    selection:
      values.body === 'selection' &&
      values.selection.trim() === '' &&
      'Choose at least one field, or the whole event.',
    template:
      values.body === 'template' &&
      values.template.trim() === '' &&
      'Enter a template, or choose the whole event.',
    metadata: labelsError(values.metadata),
    headers: checkHeaders(headers),
    ...Object.fromEntries(
      NUMBER_SETTINGS.map(({ name, min, max }) => [name, checkNumber(values[name], min, max)]),
    ),
  }
  for (const [index, row] of headers.entries()) {
    errors[`headers.${index}.name`] = checkHeaderName(row.name, headers.slice(0, index))
    errors[`headers.${index}.value`] = keepsValue(row)
      ? !valuesStay && 'Enter the value for the new address, or remove this header.'
      : checkHeaderValue(row.value)
  }
  for (const [index, seconds] of (values.retryScheduleSeconds ?? []).entries()) {
    errors[`retryScheduleSeconds.${index}`] =
      (!Number.isInteger(seconds) || seconds < 1 || seconds > 86_400) &&
      'Enter a delay from 1 second to 1 day.'
  }
  return Object.fromEntries(
    Object.entries(errors).flatMap(([field, error]) => (error ? [[field, error]] : [])),
  )
}

function checkUrl(text: string): string | false {
  const url = text.trim()
  if (url === '') return t('Enter the URL of your endpoint.')
  if (url.length > 2_048)
    return `${formatCount(url.length)} characters; the maximum is ${formatCount(2_048)}.`
  if (!/^https:/i.test(url)) return t('Enter a URL that begins with https://.')
  if (!/^https:\/\/[^/?#]/i.test(url) || /[\s\\]/.test(url) || !URL.canParse(url)) {
    return 'Enter a complete URL, such as https://example.com/webhooks.'
  }
  if (/^https:\/\/[^/?#]*@/i.test(url)) {
    return 'Remove the part before the @. Use a custom header for credentials.'
  }
  if (url.includes('#')) return 'Remove the # and the part after it, which is never sent.'
  const { port } = new URL(url)
  return port !== '' && Number(port) < 1_024 && 'Use port 443, or a port from 1024 to 65535.'
}

function checkNumber(value: number | string, min: number, max: number): string | false {
  if (value === '') return false
  const number = Number(value)
  const fits = Number.isInteger(number) && number >= min && number <= max
  return (
    !fits &&
    `Enter a whole number from ${formatCount(min)} to ${formatCount(max)}, or leave this empty.`
  )
}

/** The server knows the other rules of filters. */
function checkFilter(text: string): string | false {
  const isReadable = text.trim() === '' || formatJson(text) !== null
  return !isReadable && 'Correct the JSON of the filter, or remove the filter.'
}

const RESERVED =
  /^(wh-|webhook-|content-|proxy-|(host|connection|transfer-encoding|te|trailer|upgrade|keep-alive|expect|user-agent)$)/i

function checkHeaderName(text: string, above: readonly { name: string }[]): string | false {
  const name = text.trim()
  if (name === '') return 'Enter a name, or remove this header.'
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return 'Use letters, digits and hyphens.'
  if (RESERVED.test(name)) return 'This header is reserved. Use another name.'
  const repeated = above.some((other) => other.name.trim().toLowerCase() === name.toLowerCase())
  return repeated && 'This header exists already.'
}

function checkHeaderValue(value: string): string | false {
  if (value === '') return 'Enter a value, or remove this header.'
  return (
    !/^[!-~]([\t -~]*[!-~])?$/.test(value) &&
    'Use visible ASCII characters, with spaces and tabs only between them.'
  )
}

function checkHeaders(headers: readonly HeaderRow[]): string | false {
  if (headers.length > 32) return 'The maximum is 32 headers.'
  const size = headers.reduce((sum, { name, value }) => sum + name.length + value.length, 0)
  return size > 8_192 && 'The maximum is 8 KiB for all names and values together.'
}

/** Maps the server's errors to fields of the form. The server identifies a header by name, the form by index. */
export function errorsOf(issues: readonly Issue[], values: WebhookFormValues): ErrorsByPath {
  const errors: ErrorsByPath = {}
  for (const { path, message } of issues) {
    const [field = '', part, rest = 'name'] = path
    const index = values.headers.findIndex(({ name }) => name.trim() === part)
    const isSubscription = field === 'eventSubscriptions'
    const at =
      field === 'headers' && index >= 0
        ? `headers.${index}.${rest}`
        : isSubscription
          ? field
          : field === 'metadata'
            ? field
            : path.join('.')
    errors[at] = [errors[at], message].filter(Boolean).join(' ')
  }
  return errors
}
