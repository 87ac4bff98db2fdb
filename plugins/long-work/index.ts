/** Work that takes long: pieces of it in slices, functions of long texts in a thread, and results that are cached. */
export { lazily } from './lazily.ts'
export { atOnce, mapInSlices } from './map-in-slices.ts'
export { memoize } from './memoize.ts'
export { moduleUrl } from './module-url.ts'
export { startThread } from './start-thread.ts'
export { StreamedResponse, type ResponseStream } from './streamed-response.ts'
export { Semaphore, type WaitOptions } from './semaphore.ts'
export { offThread, type TextFunctionOptions } from './text-thread.ts'
