import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin } from '../../../kernel/index.ts'
import { isEmptySite, makeSample } from './sample.ts'

export { isOnlySample, removeSample, restoreAdministrator } from './sample.ts'

export interface FirstRunOptions {
  /** Login of the administrator that a new site gets. */
  login: string
}

/** Letters of a password that nobody mistakes for one another. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Stage of the tap: after the taps that check whether the site can start, such as that of the uploads folder. */
const TAP_STAGE = 500

/**
 * Creates a sample site when the server first starts on an empty database, and prints once how its administrator logs in.
 * An import replaces the sample.
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

/** Prints on the standard output, and waits until that is done. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()))
  })
}

function newPassword(): string {
  return Array.from(randomBytes(20), (byte) => LETTERS[byte % LETTERS.length]).join('')
}

/** How an import is started from the folder of a site: the command is there, in what npm installed there, or everywhere. */
function importerIn(folder: string): string {
  if (existsSync(join(folder, 'bin', 'svc-import'))) return 'bin/svc-import'
  return existsSync(join(folder, 'node_modules', '.bin', 'svc-import')) ? 'npx svc-import' : 'svc-import'
}

function welcomeMessage({ home, admin, root, login, password, importer }: Readonly<Record<string, string>>): string {
  return `This site is new. It has a few sample posts, and an administrator:

  Site       ${home}/${admin === '' ? '' : `\n  Admin      ${admin}`}
  REST API   ${root}
  Login      ${login}
  Password   ${password}   (shown this once)

To bring the content of another site: ${importer} EXPORT.xml --uploads FOLDER
The sample makes room for it, ids included, as long as nobody has changed it.
`
}
