import { useSearchParams } from 'react-router'

/** A panel whose state is a query parameter (`?key=key_…`): a link opens the panel, and Back closes it. */
export function usePanel(name: string) {
  const [params, setParams] = useSearchParams()

  /** The link that opens the panel. */
  function to(id: string): string {
    const next = new URLSearchParams(params)
    next.set(name, id)
    return `?${next}`
  }

  /** The link that closes the panel. */
  function closed(): string {
    const next = new URLSearchParams(params)
    next.delete(name)
    return `?${next}`
  }

  function open(id: string): void {
    setParams((current) => {
      const next = new URLSearchParams(current)
      next.set(name, id)
      return next
    })
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

  return { id: params.get(name), to, open, closed: closed(), close }
}
