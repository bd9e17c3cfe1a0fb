import { useLocalStorage, useMediaQuery } from '@mantine/hooks'

const WIDE = 220
const COLLAPSED = 60

/** Whether the side menu shows only icons: as the reader chose or, without a choice, in a window below 1,100 pixels. */
export function useMenuWidth() {
  const isNarrow = useMediaQuery('(max-width: 1099px)', false, { getInitialValueInEffect: false })
  const [chosen, setChosen] = useLocalStorage<'wide' | 'collapsed' | undefined>({
    key: 'posthorn-menu',
    getInitialValueInEffect: false,
  })
  const collapsed = chosen === undefined ? isNarrow : chosen === 'collapsed'
  return {
    collapsed,
    width: collapsed ? COLLAPSED : WIDE,
    toggle: () => setChosen(collapsed ? 'wide' : 'collapsed'),
  }
}
