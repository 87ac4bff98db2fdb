import { registerHooks } from 'node:module'
import { moduleUrl } from './module-url.ts'

let provided = false

/**
 * Lets plugins anywhere on the disk import `svc-rest`, or `svc-rest/host`, and get this very copy of the kernel: another copy would have other
 * classes.
 */
export function provideKernelToPlugins(): void {
  if (provided) return
  provided = true
  const entries = new Map(
    Object.entries({ 'svc-rest': './index', 'svc-rest/host': '../plugins/host' }).map(([specifier, file]) => [
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
