import { terminate, wrap } from '@wordpress/worker-threads'

// Replaces "@wordpress/vips/worker" with the same functions. That package creates its worker from a blob URL, which
// inherits the policy of the page. This worker is a file with a separate policy, so that only the worker may create
// functions from strings.

let worker = null

function vips() {
  worker ??= wrap(new Worker(new URL(RESIZING_WORKER, import.meta.url)))
  return worker
}

export const vipsCancelOperations = (...args) => vips().cancelOperations(...args)
export const vipsCompressImage = (...args) => vips().compressImage(...args)
export const vipsConvertImageFormat = (...args) => vips().convertImageFormat(...args)
export const vipsGetUltraHdrInfo = (...args) => vips().getUltraHdrInfo(...args)
export const vipsHasTransparency = (...args) => vips().hasTransparency(...args)
export const vipsResizeImage = (...args) => vips().resizeImage(...args)
export const vipsRotateImage = (...args) => vips().rotateImage(...args)

export function terminateVipsWorker() {
  if (worker !== null) terminate(worker)
  worker = null
}
