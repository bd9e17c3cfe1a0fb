import type { Issue } from '../../api/use-action.ts'
import { t } from '../../strings/t.ts'
import { type HeaderRow, keepsValue } from './header-row.ts'
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
      t('common:tooLong', { count: values.description.length, max: 1_000 }),
    eventSubscriptions:
      values.eventSubscriptions.length === 0 && t('webhooks:formErrors.eventTypesMissing'),
    headers: checkHeaders(headers),
    rateLimitPerSecond: checkNumber(values.rateLimitPerSecond, 1, 10_000),
    maxInFlight: checkNumber(values.maxInFlight, 1, 200),
    timeoutSeconds: checkNumber(values.timeoutSeconds, 1, 30),
  }
  for (const [index, row] of headers.entries()) {
    errors[`headers.${index}.name`] = checkHeaderName(row.name, headers.slice(0, index))
    errors[`headers.${index}.value`] = keepsValue(row)
      ? !valuesStay && t('webhooks:formErrors.headerValueMoved')
      : checkHeaderValue(row.value)
  }
  for (const [index, seconds] of (values.retryScheduleSeconds ?? []).entries()) {
    errors[`retryScheduleSeconds.${index}`] =
      (!Number.isInteger(seconds) || seconds < 1 || seconds > 86_400) &&
      t('webhooks:formErrors.delay')
  }
  return Object.fromEntries(
    Object.entries(errors).flatMap(([field, error]) => (error ? [[field, error]] : [])),
  )
}

function checkUrl(text: string): string | false {
  const url = text.trim()
  if (url === '') return t('webhooks:formErrors.urlMissing')
  if (url.length > 2_048) return t('common:tooLong', { count: url.length, max: 2_048 })
  if (!/^https:/i.test(url)) return t('webhooks:formErrors.urlNotHttps')
  if (!/^https:\/\/[^/?#]/i.test(url) || /[\s\\]/.test(url) || !URL.canParse(url)) {
    return t('webhooks:formErrors.urlIncomplete')
  }
  if (/^https:\/\/[^/?#]*@/i.test(url)) {
    return t('webhooks:formErrors.urlCredentials')
  }
  if (url.includes('#')) return t('webhooks:formErrors.urlFragment')
  const { port } = new URL(url)
  return port !== '' && Number(port) < 1_024 && t('webhooks:formErrors.urlPort')
}

function checkNumber(value: number | string, min: number, max: number): string | false {
  if (value === '') return false
  const number = Number(value)
  const fits = Number.isInteger(number) && number >= min && number <= max
  return !fits && t('webhooks:formErrors.number', { min, max })
}

const RESERVED =
  /^(wh-|webhook-|content-|proxy-|(host|connection|transfer-encoding|te|trailer|upgrade|keep-alive|expect|user-agent)$)/i

function checkHeaderName(text: string, above: readonly { name: string }[]): string | false {
  const name = text.trim()
  if (name === '') return t('webhooks:formErrors.headerNameMissing')
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name))
    return t('webhooks:formErrors.headerNameInvalid')
  if (RESERVED.test(name)) return t('webhooks:formErrors.headerReserved')
  const repeated = above.some((other) => other.name.trim().toLowerCase() === name.toLowerCase())
  return repeated && t('webhooks:formErrors.headerRepeated')
}

function checkHeaderValue(value: string): string | false {
  if (value === '') return t('webhooks:formErrors.headerValueMissing')
  return !/^[!-~]([\t -~]*[!-~])?$/.test(value) && t('webhooks:formErrors.headerValueInvalid')
}

function checkHeaders(headers: readonly HeaderRow[]): string | false {
  if (headers.length > 32) return t('webhooks:formErrors.tooManyHeaders')
  const size = headers.reduce((sum, { name, value }) => sum + name.length + value.length, 0)
  return size > 8_192 && t('webhooks:formErrors.headersTooLarge')
}

/** Maps the server's errors to fields of the form. The server identifies a header by name, the form by index. */
export function errorsOf(issues: readonly Issue[], values: WebhookFormValues): ErrorsByPath {
  const errors: ErrorsByPath = {}
  for (const { path, message } of issues) {
    const [field = '', part, rest = 'name'] = path
    const index = (values.headers ?? []).findIndex(({ name }) => name.trim() === part)
    const isSubscription = field === 'eventSubscriptions'
    const at =
      field === 'headers' && index >= 0
        ? `headers.${index}.${rest}`
        : isSubscription
          ? field
          : path.join('.')
    errors[at] = [errors[at], message].filter(Boolean).join(' ')
  }
  return errors
}
