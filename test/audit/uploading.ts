import type { Api } from './api.ts'

/** An image of one pixel. */
export const PIXEL: Buffer = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let serial = 0

/** Uploads an image and returns the ID of its attachment. */
export async function upload(api: Api): Promise<number> {
  const { status, body, text } = await api.upload(`picture-${(serial += 1)}.png`, PIXEL)
  if (status !== 201) throw new Error(`The upload of an image failed: ${status} ${text.slice(0, 200)}`)
  return body.id as number
}
