import type { ComponentPropsWithoutRef, ComponentType } from 'react'

/** What every component takes, so that it looks like its host. */
export interface Look<Part extends string, Texts> {
  readonly className?: string | undefined
  /** The class names of the parts. Each part also has its name in the attribute `data-part`. */
  readonly classNames?: ClassNames<Part> | undefined
  /** Your texts, in any language. Default: plain English. */
  readonly texts?: Partial<Texts> | undefined
  /** Your elements, such as the button of your design system. They take the props of the native elements. */
  readonly elements?: Partial<Elements> | undefined
}

export type ClassNames<Part extends string> = Partial<Record<Part, string>>

/** The elements that a host may replace. */
export interface Elements {
  readonly Button: ComponentType<ComponentPropsWithoutRef<'button'>> | 'button'
  /** For text and for checkboxes, by its `type`. */
  readonly Input: ComponentType<ComponentPropsWithoutRef<'input'>> | 'input'
  readonly Table: ComponentType<ComponentPropsWithoutRef<'table'>> | 'table'
}

const NATIVE: Elements = { Button: 'button', Input: 'input', Table: 'table' }

export function elementsOf(elements: Partial<Elements> | undefined): Elements {
  return { ...NATIVE, ...elements }
}

/** Names a part for style sheets, and gives it the class name of the host. */
export function partsOf<Part extends string>(classNames: ClassNames<Part> | undefined) {
  return (part: Part) => ({ 'data-part': part, className: classNames?.[part] })
}
