import { registerHooks } from 'node:module'
import { moduleUrl } from './library/long-work/index.ts'

let provided = false

/**
 * Makes imports of `svc-rest` and `svc-rest/host` resolve to this copy in all plugins, wherever their files are.
 * Classes of another copy would not be compatible.
 */
export function provideImports(): void {
  if (provided) return
  provided = true
  const entries = new Map(
    Object.entries({ 'svc-rest': './public', 'svc-rest/host': './host' }).map(([specifier, file]) => [
      specifier,
      moduleUrl(file, import.meta.url).href,
    ]),
  )
  registerHooks({
    resolve(specifier, context, next) {
      const url = entries.get(specifier)
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
    },
  })
}
