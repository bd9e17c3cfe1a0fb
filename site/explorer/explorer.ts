/*
 * The explorer of the REST API: sends requests from the browser to the server that serves the page. The build strips the
 * types of this file; it needs nothing else. The key that a reader types stays in the memory of the page.
 */

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description: string
}

export interface ExplorerOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  /** As JSON. Null: the operation has no body. */
  readonly body: string | null
}

const root = document.getElementById('posthorn-explorer')
const list = new URL('explorer.json', import.meta.url)
if (root) {
  const operations: readonly ExplorerOperation[] = await (await fetch(list)).json()
  const key = keyField()
  root.replaceChildren(key.row, ...operations.map((one) => panel(one, key.input)))
}

function keyField() {
  const input = element('input', {
    id: 'explorer-key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'phk_…',
  })
  return {
    input,
    row: labelled('API key', input, `It stays in this page, and goes to ${location.origin} only.`),
  }
}

function panel(operation: ExplorerOperation, key: HTMLInputElement): HTMLElement {
  const { id, method, path, summary, description, parameters, body } = operation
  const fields = parameters.map((one) => ({
    ...one,
    input: element('input', { id: `${id}-${one.name}`, autocomplete: 'off', spellcheck: 'false' }),
  }))
  const text =
    body === null
      ? null
      : element('textarea', { id: `${id}-body`, rows: '10', spellcheck: 'false' })
  if (text) text.value = body ?? ''
  const answer = element('div', { class: 'answer', role: 'status' })
  const send = element('button', { type: 'submit' }, 'Send')
  const form = element('form', {}, [
    element('p', {}, description),
    ...fields.map((one) => labelled(`${one.name} (${one.in})`, one.input, one.description)),
    ...(text ? [labelled('Body', text, 'JSON')] : []),
    send,
    answer,
  ])
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (method !== 'GET' && !(await isConfirmed(answer, method))) return
    send.disabled = true
    await request(answer, operation, key.value.trim(), fields, text?.value ?? null)
    send.disabled = false
  })
  const title = element('summary', {}, [
    element('code', { class: 'method' }, method),
    element('code', {}, path),
    element('span', {}, summary),
  ])
  return element('details', { name: 'explorer' }, [title, form])
}

/** A call that changes something needs a second click. */
function isConfirmed(answer: HTMLElement, method: string): Promise<boolean> {
  return new Promise((resolve) => {
    const yes = element(
      'button',
      { type: 'button', class: 'warning' },
      `Send the ${method} request`,
    )
    const no = element('button', { type: 'button' }, 'Do not send')
    const end = (sends: boolean) => {
      answer.replaceChildren()
      resolve(sends)
    }
    yes.addEventListener('click', () => end(true))
    no.addEventListener('click', () => end(false))
    const warning = `This request changes something at ${location.origin}, for the organization of the key.`
    answer.replaceChildren(element('p', { class: 'warns' }, warning), yes, no)
    yes.focus()
  })
}

interface Filled extends Parameter {
  readonly input: HTMLInputElement
}

async function request(
  answer: HTMLElement,
  { method, path }: ExplorerOperation,
  key: string,
  fields: readonly Filled[],
  body: string | null,
): Promise<void> {
  const missing = fields.filter(({ required, input }) => required && input.value.trim() === '')
  if (key === '' || missing.length > 0) {
    const names = [...(key === '' ? ['API key'] : []), ...missing.map(({ name }) => name)]
    answer.replaceChildren(element('p', { class: 'warns' }, `Fill in ${names.join(' and ')}.`))
    return
  }
  const given = (place: string) =>
    fields.filter((one) => one.in === place && one.input.value.trim() !== '')
  const filled = given('path').reduce(
    (url, { name, input }) => url.replace(`{${name}}`, encodeURIComponent(input.value.trim())),
    path,
  )
  const url = new URL(filled, location.origin)
  for (const { name, input } of given('query')) url.searchParams.set(name, input.value.trim())
  const headers = new Headers({ authorization: `Bearer ${key}` })
  if (body !== null) headers.set('content-type', 'application/json')
  const startedAt = performance.now()
  try {
    for (const { name, input } of given('header')) headers.set(name, input.value.trim())
    const options = { method, headers, body, credentials: 'omit', redirect: 'error' } as const
    const response = await fetch(url, options)
    show(answer, response, await response.text(), performance.now() - startedAt)
  } catch (error) {
    answer.replaceChildren(element('p', { class: 'warns' }, `The request failed: ${String(error)}`))
  }
}

function show(answer: HTMLElement, response: Response, text: string, ms: number): void {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  answer.replaceChildren(
    element('p', {}, `${response.status} ${response.statusText} in ${Math.round(ms)} ms`),
    element('pre', { tabindex: '0' }, headers),
    ...(text === '' ? [] : [element('pre', { tabindex: '0' }, indented(text))]),
  )
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function labelled(name: string, input: HTMLElement, hint: string): HTMLElement {
  const described = element('span', { id: `${input.id}-hint`, class: 'hint' }, hint)
  input.setAttribute('aria-describedby', described.id)
  return element('div', { class: 'field' }, [
    element('label', { for: input.id }, name),
    input,
    described,
  ])
}

/** Everything is set as text, so nothing that a server answers is markup. */
function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  content: string | readonly HTMLElement[] = [],
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.append(...(typeof content === 'string' ? [content] : content))
  return made
}
