import type { Browser } from './browser.ts'

/** Returns the nonce of the forms of an admin page. */
export function formNonce(text: string): string {
  return /name="_svcnonce" value="([^"]+)"/.exec(text)?.[1] ?? ''
}

/** Returns the value of a hidden field of a page; '' if the page has no such field. */
export function hiddenValue(text: string, name: string): string {
  const value = new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(text)?.[1] ?? ''
  return value.replace(/&#(\d+);/g, (_whole, code: string) => String.fromCharCode(Number(code)))
}

/** Opens an admin page and submits one of its forms with its nonce and the given fields. */
export async function sendForm(
  browser: Browser,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<{ response: Response; text: string }> {
  const page = await (await browser.open(path)).text()
  const sent = { _svcnonce: formNonce(page), was: hiddenValue(page, 'was'), ...form }
  const response = await browser.send(path, sent)
  return { response, text: await response.text() }
}

/** Returns the fields that a browser would send for a page's form that warns about unsaved changes. */
export function fieldsOf(page: string): Record<string, string> {
  const text = (html: string) => html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  const form = page.slice(page.indexOf('data-guard'))
  const end = form.slice(0, form.indexOf('</form>'))
  const fields: Record<string, string> = {}
  for (const [tag] of end.matchAll(/<input[^>]*>/g)) {
    const [name, value] = ['name', 'value'].map((one) => new RegExp(`\\s${one}="([^"]*)"`).exec(tag)?.[1] ?? '')
    if (name !== '' && (!/type="(?:checkbox|radio)"/.test(tag) || /\schecked/.test(tag))) fields[name!] = text(value!)
  }
  for (const [, name, inside] of end.matchAll(/<select[^>]*name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g))
    fields[name!] = /value="([^"]*)"\s+selected/.exec(inside!)?.[1] ?? '0'
  for (const [, name, value] of end.matchAll(/<textarea[^>]*name="([^"]+)"[^>]*>\n?([^<]*)<\/textarea>/g))
    fields[name!] = text(value!)
  return fields
}
