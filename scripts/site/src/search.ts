/** What Pagefind's script exports, of what is used here: https://pagefind.app/docs/api/ */
interface Pagefind {
  options(options: { baseUrl: string; excerptLength: number }): Promise<void>
  debouncedSearch(text: string): Promise<{ results: Result[] } | null>
}

interface Result {
  data(): Promise<{ url: string; meta: { title?: string }; sub_results: Passage[] }>
}

interface Passage {
  url: string
  title: string
  /** HTML: the text, escaped, with the found words in `mark`. */
  excerpt: string
}

const MOST_PAGES = 8
const MOST_PASSAGES = 3

/** The button, and the dialog that it opens. The index of the search is loaded when the dialog opens. */
class Search extends HTMLElement {
  #pagefind: Promise<Pagefind> | undefined

  connectedCallback() {
    const dialog = this.querySelector('dialog') as HTMLDialogElement
    const input = this.querySelector('input') as HTMLInputElement
    const open = () => {
      dialog.showModal()
      input.select()
      void this.#load()
    }
    this.querySelector('.open')?.addEventListener('click', open)
    addEventListener('keydown', (event) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      if (dialog.open) dialog.close()
      else open()
    })
    dialog.addEventListener('click', ({ target }) => {
      const isOutside = target === dialog
      if (isOutside || (target as Element).closest('a')) dialog.close()
    })
    dialog.addEventListener('keydown', (event) => this.#move(event, input))
    input.addEventListener('input', () => void this.#search(input.value.trim()))
  }

  #load(): Promise<Pagefind> {
    this.#pagefind ??= this.#import()
    return this.#pagefind
  }

  async #import(): Promise<Pagefind> {
    const { base = '' } = this.dataset
    const pagefind: Pagefind = await import(/* @vite-ignore */ `${base}/pagefind/pagefind.js`)
    await pagefind.options({ baseUrl: `${base}/`, excerptLength: 18 })
    return pagefind
  }

  async #search(text: string) {
    if (text === '') return this.#show('', [])
    const found = await (await this.#load()).debouncedSearch(text)
    // Null: more has been typed since.
    if (found === null) return
    const pages = await Promise.all(found.results.slice(0, MOST_PAGES).map((page) => page.data()))
    const items = pages.flatMap(({ url, meta, sub_results: passages }) =>
      passages
        .slice(0, MOST_PASSAGES)
        .map((passage) => itemOf(passage, passage.url === url ? '' : (meta.title ?? ''))),
    )
    const { length } = found.results
    this.#show(length === 0 ? `Nothing found for “${text}”` : countOf(length), items)
  }

  #show(status: string, items: readonly HTMLElement[]) {
    const line = this.querySelector('[role="status"]') as HTMLElement
    line.textContent = status
    this.querySelector('ol')?.replaceChildren(...items)
  }

  /** The arrow keys lead through the results, and Enter in the field opens the first. */
  #move(event: KeyboardEvent, input: HTMLInputElement) {
    const links = [...this.querySelectorAll<HTMLAnchorElement>('ol a')]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    if (event.key === 'Enter' && document.activeElement === input) links[0]?.click()
    else if (event.key === 'ArrowDown') links[at + 1]?.focus()
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus()
    else return
    event.preventDefault()
  }
}

const countOf = (pages: number) => (pages === 1 ? '1 page' : `${pages} pages`)

function itemOf({ url, title, excerpt }: Passage, page: string): HTMLElement {
  const heading = document.createElement('strong')
  heading.textContent = page === '' ? title : `${page} › ${title}`
  const text = document.createElement('span')
  text.innerHTML = excerpt
  const link = document.createElement('a')
  link.href = url
  link.append(heading, text)
  const item = document.createElement('li')
  item.append(link)
  return item
}

customElements.define('posthorn-search', Search)
