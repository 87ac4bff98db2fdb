import { registerHooks } from 'node:module'

let provided = false

/**
 * Lets plugins anywhere on the disk import `svc-rest` and get this very copy of the kernel: another copy would have other
 * classes.
 */
export function provideKernelToPlugins(): void {
  if (provided) return
  provided = true
  const own = new URL('./index', import.meta.url).href + import.meta.url.slice(import.meta.url.lastIndexOf('.'))
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'svc-rest' ? { url: own, shortCircuit: true } : next(specifier, context),
  })
}
