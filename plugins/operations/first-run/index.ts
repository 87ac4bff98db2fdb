import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { isEmptySite, makeSample } from './sample.ts'
import type { UntouchedSample } from './untouched.ts'

export { isOnlySample, removeSample, restoreAdministrator, sampleList } from './sample.ts'
export { SETUP_OPTION, type SampleList, type SiteSetup } from './fill-sample.ts'

export type { UntouchedSample } from './untouched.ts'

/** Returns the content of the sample that no user has changed. */
export async function untouchedSample(store: Store): Promise<UntouchedSample> {
  const { untouchedSample: read } = await import('./untouched.ts')
  return read(store)
}

export interface FirstRunOptions {
  /** Login of the administrator that a new site gets. */
  login: string
}

/** Letters and digits that cannot be confused with each other. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'

/**
 * Stage of the tap: after the taps that check whether the site can start, for example the check of the uploads folder.
 */
const TAP_STAGE = 500

/**
 * Creates a sample site when the server first starts on an empty database, and prints the login of its administrator
 * once. An import replaces the sample.
 */
export default definePlugin<FirstRunOptions>({
  name: 'first-run',
  needs: ['store', 'passwords'],
  uses: ['admin'],
  options: { login: { default: 'admin', type: 'string', pattern: '^[a-z0-9_-]{1,60}$' } },
  apply({ hooks, services, urls, config, branding, has }, { login }) {
    hooks.server_starting.tapPromise({ name: 'first-run', stage: TAP_STAGE }, async (home) => {
      const { store, passwords } = services
      if (!(await isEmptySite(store))) return
      const password = newPassword()
      const passwordHash = await passwords.hash(password)
      const admin = has('admin') ? `${home}${branding.adminPath}` : ''
      let isPrinted = false
      // Before the commit: a site whose password was never printed could not be used.
      const printWelcome = async () => {
        await print(
          welcomeMessage({
            home,
            admin,
            root: urls.rest(),
            login,
            password,
            importer: importerIn(config.folder),
          }),
        )
        isPrinted = true
      }
      const parts = { home, admin: admin || urls.rest(), mark: branding.blockMark, login, passwordHash }
      try {
        await makeSample(store, parts, printWelcome)
      } catch (error) {
        if (isPrinted) await print('The site could not be created. The password above is not valid.')
        throw error
      }
    })
  },
})

/** Prints to standard output, and resolves when the text is written. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()))
  })
}

function newPassword(): string {
  return Array.from(randomBytes(20), (byte) => LETTERS[byte % LETTERS.length]).join('')
}

/** The command for imports: a local script, a local npm package, or a global command. */
function importerIn(folder: string): string {
  if (existsSync(join(folder, 'bin', 'svc-import'))) return 'bin/svc-import'
  return existsSync(join(folder, 'node_modules', '.bin', 'svc-import')) ? 'npx svc-import' : 'svc-import'
}

function welcomeMessage({ home, admin, root, login, password, importer }: Readonly<Record<string, string>>): string {
  return `A new site with sample posts and an administrator was created:

  Site       ${home}/${admin === '' ? '' : `\n  Admin      ${admin}`}
  REST API   ${root}
  Login      ${login}
  Password   ${password}   (shown only once)

To import the content of another site: ${importer} EXPORT.xml --uploads FOLDER
The import replaces the sample, and keeps IDs, as long as the sample is unchanged.
`
}
