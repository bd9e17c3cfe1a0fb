import { useSearchParams } from 'react-router'

/** What is opened beside or above a page, kept in the address (`?key=key_…`): a link opens it, and going back closes it. */
export function usePanel(name: string) {
  const [params, setParams] = useSearchParams()

  /** The same address with something opened, for links. */
  function to(id: string): string {
    const next = new URLSearchParams(params)
    next.set(name, id)
    return `?${next}`
  }

  /** The same address with nothing opened. */
  function closed(): string {
    const next = new URLSearchParams(params)
    next.delete(name)
    return `?${next}`
  }

  function close(): void {
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        next.delete(name)
        return next
      },
      { replace: true },
    )
  }

  return { id: params.get(name), to, closed: closed(), close }
}
