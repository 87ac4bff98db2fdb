import type { Api } from './api.ts'
import { PIXEL } from './cases.ts'

let serial = 0

/** Uploads a picture; answers the ID of its attachment. */
export async function upload(api: Api): Promise<number> {
  const { status, body, text } = await api.upload(`picture-${(serial += 1)}.png`, PIXEL)
  if (status !== 201) throw new Error(`A picture was not taken: ${status} ${text.slice(0, 200)}`)
  return body.id as number
}
