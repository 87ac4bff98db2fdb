import { join, resolve } from 'node:path'
import { openProject } from '../checks/mentioned-types.ts'
import { EXCEPTIONS, REGISTRY } from './growth-registry.ts'
import { textFunctions, type TextFunction } from './text-functions.ts'

const root = resolve(import.meta.dirname, '../..')

/** Returns the text functions of the kernel and the default plugins. */
function allFunctions(): TextFunction[] {
  using project = openProject(join(root, 'tsconfig.json'))
  return textFunctions(project, `${root.replaceAll('\\', '/')}/`, ['kernel', 'plugins'])
}

/**
 * Returns the mistakes in the registry of text functions: missing functions and unnecessary exceptions.
 * @param functions by default those of the kernel and the default plugins
 */
export function unregistered(functions: readonly TextFunction[] = allFunctions()): string[] {
  const excepted = new Set(Object.values(EXCEPTIONS).flat())
  const registered = new Set(
    Object.entries(REGISTRY).flatMap(([file, works]) => [
      `${file} *`,
      ...Object.keys(works).map((name) => `${file} ${name.split(':')[0]}`),
    ]),
  )
  const missing = functions.filter(
    ({ file, name }) =>
      !registered.has(`${file} ${name}`) && !excepted.has(`${file} ${name}`) && !excepted.has(`${file} *`),
  )
  const existing = new Set(functions.flatMap(({ file, name }) => [`${file} ${name}`, `${file} *`]))
  return [
    ...missing.map(
      ({ file, name, reasons }) => `${file} ${name} (${reasons.join(', ')}) is not in test/helpers/growth-registry.ts.`,
    ),
    ...[...excepted]
      .filter((one) => !existing.has(one) || (registered.has(one) && !one.endsWith('*')))
      .map((one) => `${one} needs no exception in test/helpers/growth-registry.ts.`),
  ]
}
