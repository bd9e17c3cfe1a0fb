/* Runs in the browser: a `misfits` expression. Lists what can be neither seen nor scrolled to at the present width. */
;(function findMisfits() {
  const found = []
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth > width) {
    found.push(`the page scrolls sideways: ${document.documentElement.scrollWidth} of ${width} px`)
  }
  for (const element of document.querySelectorAll('#main, #main *, header *')) {
    if (!element.checkVisibility({ visibilityProperty: true }) || isApart(element)) continue
    // The caret reaches all of a field. What has no text is decoration.
    if (element.matches('input, textarea') || !element.textContent?.trim()) continue
    const { overflowX } = getComputedStyle(element)
    const clips = overflowX === 'hidden' || overflowX === 'clip'
    if (clips && !isShortened(element) && element.scrollWidth > element.clientWidth + 1) {
      found.push(`${nameOf(element)} is cut: ${element.scrollWidth} of ${element.clientWidth} px`)
    }
    if (element.matches('.ph-list-frame .mantine-ScrollArea-viewport') && isScrollable(element)) {
      found.push(
        `a list is wider than its box: ${element.scrollWidth} of ${element.clientWidth} px`,
      )
    }
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === 3 && node.textContent?.trim(),
    )
    const { left, right } = element.getBoundingClientRect()
    if (
      hasText &&
      (right > width + 1 || left < -1) &&
      !isWithin(element, isScrollable) &&
      !isWithin(element, isShortened)
    ) {
      found.push(`${nameOf(element)} is outside of the page: ${left} to ${right} of ${width} px`)
    }
  }
  return found

  /** Whether an element is only for screen readers. */
  function isApart(element) {
    for (let each = element; each; each = each.parentElement) {
      const { clipPath, clip } = getComputedStyle(each)
      if (clipPath === 'inset(50%)' || clip.startsWith('rect(0px, 0px')) return true
      if (each.clientWidth === 1) return true
    }
    return false
  }

  /** Whether an ellipsis shows that there is more. */
  function isShortened(element) {
    const { overflowX, textOverflow, webkitLineClamp } = getComputedStyle(element)
    return webkitLineClamp !== 'none' || (overflowX === 'hidden' && textOverflow === 'ellipsis')
  }

  function isScrollable(element) {
    const { overflowX } = getComputedStyle(element)
    return /auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth
  }

  function isWithin(element, holds) {
    for (let each = element; each; each = each.parentElement) if (holds(each)) return true
    return false
  }

  function nameOf(element) {
    const text = element.textContent?.trim().slice(0, 40)
    return `${element.tagName.toLowerCase()}.${[...element.classList].at(-1) ?? ''} "${text}"`
  }
})()
