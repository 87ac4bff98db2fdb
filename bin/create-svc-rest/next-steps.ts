import { relative } from 'node:path'
import { pluginName } from './fill.ts'
import type { Kind } from './questions.ts'

/** What to do with what was made, as a text. */
export function nextSteps(kind: Kind, folder: string, cwd: string, name: string): string {
  const way = relative(cwd, folder)
  const enter = way === '' ? [] : [[`cd ${/\s/.test(way) ? `"${way}"` : way}`, '']]
  const steps = kind === 'site' ? SITE : PLUGIN
  const lines = [...enter, ...steps].map(([command = '', what = '']) => `  ${command.padEnd(24)}${what}`.trimEnd())
  const after =
    kind === 'site'
      ? 'Then open http://127.0.0.1:8080/svc-json/hello/v1/greet/you. README.md says what is where.'
      : `To see it in a site, run npm install ${quoted(folder)} there, and add "${name}": true to "plugins" in svc.config.json.
Its route is /${pluginName(name)}/v1/greet/you. README.md says more.`
  return `Next:\n\n${lines.join('\n')}\n\n${after}`
}

const SITE = [
  ['npm install', ''],
  ['npm test', 'tests the plugin'],
  ['npm run dev', 'serves the site, and reloads what you change'],
]

const PLUGIN = [
  ['npm install', 'builds it as well'],
  ['npm test', ''],
]

const quoted = (path: string) => (/\s/.test(path) ? `"${path}"` : path)
