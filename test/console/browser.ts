import { type Browser, chromium } from 'playwright-core'
import { canRun, findProgram } from '../support/installed-program.ts'
import { reasonToLeaveOut } from '../support/left-out.ts'

/** The path of a Chromium, or null if there is none. `POSTHORN_TEST_CHROMIUM` overrides it. */
export function findChromium(): string | null {
  const named = process.env['POSTHORN_TEST_CHROMIUM']
  if (!named) return NAMES.map(findProgram).find(Boolean) ?? MACOS.find(canRun) ?? null
  if (canRun(named)) return named
  throw new Error(
    `POSTHORN_TEST_CHROMIUM is ${JSON.stringify(named)}, where no program can be run. Give the path of a Chromium or Chrome, or unset it.`,
  )
}

export const REMEDY =
  'Install Chromium (Debian: apt-get install chromium; macOS: Google Chrome), or set POSTHORN_TEST_CHROMIUM to the path of one.'

/** For the set-up of a project: the path of a Chromium, or null after it has said that tests are left out. */
export function chromiumFor(tests: string): string | null {
  const chromium = findChromium()
  if (chromium === null) {
    console.warn(
      `\n${reasonToLeaveOut(`${tests} are left out, as there is no Chromium here. ${REMEDY}`)}\n`,
    )
  }
  return chromium
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const MACOS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * Each window would load two pages for the list below its address bar, for a second of processor time. Chromium takes the
 * last list of features, so this one repeats Playwright's.
 */
const DISABLED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
]

/** Disables background requests and GPU rendering. */
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${DISABLED_FEATURES}`,
]

export async function openBrowser(program: string): Promise<Browser> {
  // Chromium's sandbox does not work for root.
  const isRoot = process.getuid?.() === 0
  return await chromium.launch({
    executablePath: program,
    args: isRoot ? [...FLAGS, '--no-sandbox'] : FLAGS,
  })
}
