// Program of the thread for long texts. It loads only the modules of the called functions.
import { parentPort } from 'node:worker_threads'

/** One call: a function by its name in a module. */
export interface TextCall {
  /** URL of the module. */
  readonly module: string
  readonly name: string
  readonly args: readonly unknown[]
}

export type TextResult = { readonly value: unknown } | { readonly error: unknown }

parentPort!.on('message', (call: TextCall) => {
  void execute(call).then((result) => parentPort!.postMessage(result))
})

async function execute({ module, name, args }: TextCall): Promise<TextResult> {
  try {
    const exported = (await import(module)) as Readonly<Record<string, (...all: readonly unknown[]) => unknown>>
    return { value: exported[name]!(...args) }
  } catch (error) {
    return { error }
  }
}
