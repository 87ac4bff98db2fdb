import { relative } from 'node:path'
import { pluginName } from './fill.ts'
import type { Kind } from './questions.ts'
import { quoted } from './usage.ts'

/** Returns a text with the commands to run in a new site or plugin. */
export function nextSteps(kind: Kind, folder: string, cwd: string, name: string): string {
  const path = relative(cwd, folder)
  const enter = path === '' ? [] : [[`cd ${quoted(path)}`, '']]
  const steps = kind === 'site' ? SITE : PLUGIN
  const lines = [...enter, ...steps].map(([command = '', purpose = '']) =>
    `  ${command.padEnd(24)}${purpose}`.trimEnd(),
  )
  const after =
    kind === 'site'
      ? 'Then open http://127.0.0.1:8080. README.md describes the files.'
      : `To try it in a site, run npm install ${quoted(folder)} there, and add "${name}": true to "plugins" in svc.config.json.
Its route is /${pluginName(name)}/v1/greet/you. README.md describes the rest.`
  return `Next:\n\n${lines.join('\n')}\n\n${after}`
}

const SITE = [
  ['npm install', ''],
  ['npm start', 'serves the site; the first start prints a password'],
  ['npm run dev', 'serves it, and restarts when you save a plugin'],
  ['npm test', 'runs the tests of your plugins'],
]

const PLUGIN = [
  ['npm install', 'also compiles the plugin'],
  ['npm test', ''],
]
