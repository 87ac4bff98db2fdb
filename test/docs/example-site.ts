import { execFile } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { run } from '../helpers/svc-serve.ts'
import { root } from './blocks.ts'

/** A running site, in whose folder the shell commands of a page run. */
export interface Site extends AsyncDisposable {
  readonly home: string
  readonly folder: string
  /** Password of the user `admin`. */
  readonly password: string
  /** Application password of the user `admin`, for `curl -u`. */
  readonly applicationPassword: string
  /** Sends a request of the administrator to a route such as `/svc/v2/posts`. Returns the body. @throws Error for an error */
  request(method: string, route: string, body?: unknown): Promise<Record<string, unknown>>
  /** Runs a shell script in the folder. Returns its output and exit code. */
  shell(script: string): Promise<{ output: string; code: number }>
}

const COMMANDS = ['svc', 'svc-serve', 'svc-import']

/** Starts a site with the content of a first start, for the examples of a page. */
export async function startSite(config: object, files: Readonly<Record<string, string>>): Promise<Site> {
  const server = await run(['--port', '0'], { 'svc.config.json': JSON.stringify(config), ...files })
  const [, password = ''] = await server.printed(/Password {3}(\S+)/)
  const home = await server.home()
  const { folder } = server
  // `bin/svc` runs in a checkout, `svc` where svc-rest is installed globally, and `npx svc` in a site.
  await symlink(join(root, 'bin'), join(folder, 'bin'))
  const programs = join(folder, 'node_modules/.bin')
  await mkdir(programs, { recursive: true })
  for (const name of COMMANDS) await symlink(join(root, 'bin', name), join(programs, name))
  await symlink(process.execPath, join(programs, 'node'))
  await writeFile(join(programs, 'npx'), '#!/bin/sh\nexec "$@"\n')
  await chmod(join(programs, 'npx'), 0o755)
  await writeFile(join(folder, '.curlrc'), 'silent\nshow-error\nfail-with-body\n')

  const shell = (script: string) =>
    new Promise<{ output: string; code: number }>((resolve) => {
      const env = { ...process.env, PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}`, HOME: folder }
      const child = execFile('sh', ['-c', script], { cwd: folder, env, timeout: 120_000 }, (_error, stdout, stderr) =>
        resolve({ output: stdout + stderr, code: child.exitCode ?? 1 }),
      )
    })
  const { output } = await shell('svc user app-password create admin examples')
  const applicationPassword = /is ((?:\w{4} ){5}\w{4})/.exec(output)![1]!
  const authorization = `Basic ${Buffer.from(`admin:${applicationPassword}`).toString('base64')}`
  return {
    home,
    folder,
    password,
    applicationPassword,
    shell,
    async request(method, route, body) {
      const response = await fetch(`${home}/svc-json${route}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${route}: ${text}`)
      return JSON.parse(text) as Record<string, unknown>
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
