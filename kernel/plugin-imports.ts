import { registerHooks } from 'node:module'

let provided = false

/**
 * Lets plugins anywhere on the disk import `svc-rest`, or `svc-rest/host`, and get this very copy of the kernel: another copy would have other
 * classes.
 */
export function provideKernelToPlugins(): void {
  if (provided) return
  provided = true
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
  const entries = new Map(
    Object.entries({ 'svc-rest': './index', 'svc-rest/host': '../plugins/host' }).map(([specifier, file]) => [
      specifier,
      new URL(`${file}${ending}`, import.meta.url).href,
    ]),
  )
  registerHooks({
    resolve(specifier, context, next) {
      const url = entries.get(specifier)
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
    },
  })
}
