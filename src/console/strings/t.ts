import { createInstance } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { en } from './en.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    resources: typeof en
  }
}

const i18n = createInstance()
i18n.use(initReactI18next).init({
  lng: 'en',
  resources: { en },
  defaultNS: 'common',
  // The resources are part of the script, so nothing waits for them.
  initAsync: false,
  // React escapes.
  interpolation: { escapeValue: false },
})

/**
 * A string in the reader's language: `t('webhooks:actions.disable')`, `t('deliveries:selected', { count: 3 })`. For
 * strings with elements in them, use `Trans` of react-i18next. English is the only language so far.
 */
export const t = i18n.t
