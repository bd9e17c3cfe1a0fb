import { useLocalStorage } from '@mantine/hooks'
import { useIsNarrow } from '../components/use-is-narrow.ts'

const WIDE = 220
const COLLAPSED = 60
/** A narrower shell leaves the room to its page. */
const NARROW_BELOW = 1_100

/** Whether the side menu shows only icons: as the reader chose or, without a choice, in a narrow shell. */
export function useMenuWidth() {
  const [shell, isNarrow] = useIsNarrow<HTMLDivElement>(NARROW_BELOW)
  const [chosen, setChosen] = useLocalStorage<'wide' | 'collapsed' | undefined>({
    key: 'posthorn-menu',
    getInitialValueInEffect: false,
  })
  const collapsed = chosen === undefined ? isNarrow : chosen === 'collapsed'
  return {
    shell,
    collapsed,
    width: collapsed ? COLLAPSED : WIDE,
    toggle: () => setChosen(collapsed ? 'wide' : 'collapsed'),
  }
}
