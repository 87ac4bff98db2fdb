import { terminate, wrap } from '@wordpress/worker-threads'

// In place of "@wordpress/vips/worker", with the same functions. That package makes its worker of a text, which has the policy
// of the page; this one is a file that is sent with a policy of its own, so that only the worker may make functions of texts.

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
