import { join, relative } from 'node:path'
import { checkout } from './checkout.ts'

/** Licenses that a plugin can have, in addition to `none`. The first is the default. */
export const LICENSES = ['MIT', 'ISC']

/** The command as users type it in the current directory. */
export const command =
  checkout === null
    ? 'npm create svc-rest'
    : `node ${quoted(relative(process.cwd(), join(checkout, 'bin', 'create-svc-rest')))}`

export const usage = `Usage: ${command} FOLDER
       ${checkout === null ? `${command} --` : command} FOLDER --plugin [FLAGS]

Creates a site of svc-rest, or a plugin for it, in a new or empty folder.

  --site               Create a site: a config, a plugin and its test. Asks no questions.
  --plugin             Create a plugin as a package: TypeScript, a test, a build and a README.
  --name NAME          Name of the package. Default: the name of the folder.
  --license LICENSE    License of a plugin: ${LICENSES.join(', ')} or none. Default: ${LICENSES[0]}.
  --author NAME        Copyright holder of a plugin.
  --tarball FILE       Install svc-rest from a file that "npm pack" wrote.
                       Default: ${checkout === null ? 'the npm registry' : 'this checkout, packed now'}.
  --version, -v        Print the version of create-svc-rest.
  --help               Print this text.

Without --site and --plugin the command asks which of the two to create; without a terminal it creates a site.${
  checkout === null ? '\nWrite flags after --, otherwise npm consumes them.' : ''
}`

/** Quotes a path with spaces as a shell argument. */
export function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path
}
