/** Tables and blocks of code that are wider than the page scroll in their own box, also with the keyboard alone. */
function makeFocusable({ target }: Pick<ResizeObserverEntry, 'target'>) {
  if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0')
  else target.removeAttribute('tabindex')
}

const observer = new ResizeObserver((entries) => entries.forEach(makeFocusable))

for (const target of document.querySelectorAll('.sl-markdown-content :is(table, pre)')) {
  makeFocusable({ target })
  observer.observe(target)
}

// The field of the search has a title, and no label.
addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLInputElement) target.ariaLabel = target.title
})
