import { NavLink } from 'react-router'
import type { Section } from './navigation.ts'

interface SectionTabsProps {
  /** The accessible name. */
  readonly label: string
  readonly sections: readonly Section[]
}

/** Pages side by side, in one line that scrolls where it is narrow. */
export function SectionTabs({ label, sections }: SectionTabsProps) {
  return (
    <nav aria-label={label} className="ph-tabs">
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
