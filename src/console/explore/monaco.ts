import type {} from 'monaco-editor'
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker'
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker'
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker'
import { editor } from 'monaco-graphql/esm/monaco-editor.js'

/* Sets up Monaco, the editor of GraphiQL. */

const WORKERS: Readonly<Record<string, new () => Worker>> = {
  json: JsonWorker,
  graphql: GraphqlWorker,
}

/** The workers come from this origin, as the Content-Security-Policy demands. */
window.MonacoEnvironment = {
  getWorker(_id, label) {
    return new (WORKERS[label] ?? EditorWorker)()
  },
}

/** The names of Monaco's themes in the colors of the console. */
export const EDITOR_THEME = { light: 'posthorn-light', dark: 'posthorn-dark' }

interface Colors {
  readonly accent: string
  readonly widget: string
  readonly lineNumber: string
  readonly selected: string
}

function colorsOf({ accent, widget, lineNumber, selected }: Colors) {
  return {
    // The container's background shows through.
    'editor.background': '#00000000',
    'editorLineNumber.foreground': lineNumber,
    'editorHoverWidget.background': widget,
    'editorSuggestWidget.background': widget,
    'editorSuggestWidget.selectedBackground': selected,
    'editorWidget.background': widget,
    'list.hoverBackground': selected,
    'menu.background': widget,
    'quickInput.background': widget,
    'quickInputList.focusBackground': selected,
    'scrollbar.shadow': '#00000000',
    'editorLink.activeForeground': accent,
    'textLink.foreground': accent,
    focusBorder: accent,
  }
}

editor.defineTheme(EDITOR_THEME.light, {
  base: 'vs',
  inherit: true,
  colors: colorsOf({
    accent: '#2a50b4',
    widget: '#ffffff',
    lineNumber: '#5b6472',
    selected: '#eef3ff',
  }),
  rules: [
    { token: 'comment', foreground: '1c6b31' },
    { token: 'argument.identifier.gql', foreground: '5a3fc0' },
  ],
})

editor.defineTheme(EDITOR_THEME.dark, {
  base: 'vs-dark',
  inherit: true,
  colors: colorsOf({
    accent: '#89a6ec',
    widget: '#2e2e2e',
    lineNumber: '#a3abb8',
    selected: '#363c46',
  }),
  rules: [
    { token: 'comment', foreground: '8ce99a' },
    { token: 'argument.identifier.gql', foreground: 'b3a5ff' },
  ],
})
