/** An element of https://pagefind.app/docs/component-ui/ */
interface Modal extends HTMLElement {
  open(): void
}

const button = document.querySelector('.posthorn-search') as HTMLButtonElement

/** The dialog is loaded when somebody first opens it: it takes as many bytes as a page. */
async function open(): Promise<void> {
  const { bundle = '' } = button.dataset
  const styles = document.createElement('link')
  Object.assign(styles, { rel: 'stylesheet', href: `${bundle}pagefind-component-ui.css` })
  if (!customElements.get('pagefind-modal')) document.head.append(styles)
  await import(/* @vite-ignore */ `${bundle}pagefind-component-ui.js`)
  document.querySelector<Modal>('pagefind-modal')?.open()
}

button.addEventListener('click', open)
addEventListener('keydown', (event) => {
  if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  void open()
})
