import type { SiteWithUsers } from '../helpers/site-with-users.ts'
import { requestAs, type Answer, type Json } from './request-as.ts'

/** Sends a request with arguments as an administrator. */
export type Send = (
  site: SiteWithUsers,
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
) => Promise<Answer>

/** The ways in which clients send arguments. */
export const ENCODINGS: Readonly<Record<string, Send>> = {
  json: (site, method, path, body) => requestAs(site, 'admin', method, path, body),
  query: (site, method, path, body) => requestAs(site, 'admin', method, `${path}?${formOf(body).toString()}`),
  form: (site, method, path, body) =>
    send(site, method, path, { body: formOf(body).toString(), type: 'application/x-www-form-urlencoded' }),
  multipart: (site, method, path, body) => {
    const form = new FormData()
    for (const [name, value] of formOf(body)) form.append(name, value)
    return send(site, method, path, { body: form, type: null })
  },
  batch: async (site, method, path, body) => {
    const { body: batch, ...answer } = await requestAs(site, 'admin', 'POST', '/batch/v1', {
      requests: [{ method, path, body }],
    })
    const [item] = batch.responses as Json[]
    return { ...answer, status: item.status as number, body: item.body, text: JSON.stringify(item.body) }
  },
}

/** Returns arguments as fields of a form: lists as `name[]`, parts of objects as `name[part]`. */
export function formOf(body: Readonly<Record<string, unknown>>): URLSearchParams {
  const form = new URLSearchParams()
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) add(`${name}[]`, item)
    else if (typeof value === 'object' && value !== null)
      for (const [part, inner] of Object.entries(value)) add(`${name}[${part}]`, inner)
    else form.append(name, String(value))
  }
  for (const [name, value] of Object.entries(body)) add(name, value)
  return form
}

async function send(
  site: SiteWithUsers,
  method: string,
  path: string,
  { body, type }: { body: string | FormData; type: string | null },
): Promise<Answer> {
  const headers = { ...site.by('admin'), ...(type !== null && { 'content-type': type }) }
  const response = await site.request(path, { method, headers, body })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) }
}
