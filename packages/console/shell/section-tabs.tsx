import { useEffect, useRef } from 'react'
import { NavLink, useLocation } from 'react-router'
import type { Section } from './navigation.ts'

interface SectionTabsProps {
  /** The accessible name. */
  readonly label: string
  readonly sections: readonly Section[]
}

/** Pages side by side, in one line that scrolls where it is narrow. */
export function SectionTabs({ label, sections }: SectionTabsProps) {
  const { pathname } = useLocation()
  const tabs = useRef<HTMLElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: at each change of page
  useEffect(() => {
    const { current } = tabs
    const here = current?.querySelector<HTMLElement>('[aria-current]')
    if (current && here) current.scrollLeft = here.offsetLeft - current.offsetLeft
  }, [pathname])

  return (
    <nav ref={tabs} aria-label={label} className="ph-tabs">
      {sections.map(({ to, label }) => (
        <NavLink
          key={to}
          to={to}
          className="ph-tab"
          // The title of the page takes the focus only from outside of the page.
          onClick={({ currentTarget }) => currentTarget.blur()}
        >
          {label}
        </NavLink>
      ))}
    </nav>
  )
}
