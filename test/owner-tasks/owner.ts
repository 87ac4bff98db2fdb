import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import type { Test } from 'uvu'
import { enter } from '../helpers/admin-lists.ts'
import { useChromium, type Window } from '../helpers/chromium.ts'
import { serveWithUsers, type SiteWithUsers, type UserIds } from '../helpers/site-with-users.ts'
import { filePlace } from '../helpers/stores.ts'

/** What a task is done with: a site, and a window in which a user is logged in. */
export interface Desk {
  readonly site: SiteWithUsers
  readonly page: Page
  /** Opens a page of the admin. @param path below the admin: `content/post` */
  readonly open: (path: string) => Promise<void>
  /** Waits for a notice with this text. */
  readonly notice: (text: string) => Promise<void>
  /** Opens a window of another user. It is closed with the task. */
  readonly windowOf: (login: keyof UserIds) => Promise<Page>
  /** Creates or changes an object over REST, as the administrator by default, and returns it. @param path `posts` */
  readonly create: (path: string, body: unknown, login?: keyof UserIds) => Promise<Stored>
  /** Reads an object over REST as the administrator. @param path `posts/1` */
  readonly read: (path: string) => Promise<Stored>
  /** Status and HTML of a page that visitors see. @param path `/hello/` */
  readonly visit: (path: string) => Promise<{ status: number; html: string }>
}

export type Stored = Record<string, unknown> & { readonly id: number; readonly link: string }

/**
 * Returns a function that declares tasks, which users of one site do one after the other in Chromium. A task fails if a
 * page reports an error.
 */
export function tasksOf(suite: Test): (name: string, login: keyof UserIds, act: (desk: Desk) => Promise<void>) => void {
  const { inBrowser, openWindow } = useChromium(suite)
  let site: SiteWithUsers | undefined
  suite.before(async () => void (site = await serveWithUsers(filePlace)))
  suite.after(async () => site?.[Symbol.asyncDispose]())
  return (name, login, act) =>
    inBrowser(name, async () => {
      await using windows = new AsyncDisposableStack()
      const opened: Window[] = []
      const windowOf = async (user: keyof UserIds) => {
        const window = windows.use(await openWindow())
        opened.push(window)
        const { cookie } = await enter(site!, user)
        await window.context.addCookies(
          cookie.split('; ').map((pair) => {
            const [cookieName = '', ...value] = pair.split('=')
            return { name: cookieName, value: value.join('='), url: site!.home }
          }),
        )
        // Questions such as “Delete permanently?” are answered with yes.
        window.page.on('dialog', (dialog) => void dialog.accept())
        return window.page
      }
      await act(deskOf(site!, await windowOf(login), windowOf))
      // A conflict between two users is an answer that the page handles.
      for (const { complaints } of opened)
        assert.equal(
          complaints.filter((text) => !text.includes('409')),
          [],
        )
    })
}

function deskOf(site: SiteWithUsers, page: Page, windowOf: Desk['windowOf']): Desk {
  const json = async (response: Response) => {
    const text = await response.text()
    assert.ok(response.ok, text)
    return JSON.parse(text) as Stored
  }
  return {
    site,
    page,
    windowOf,
    open: async (path) => void (await page.goto(`${site.home}/svc-admin/${path}`)),
    notice: (text) => page.locator('#notices', { hasText: text }).waitFor(),
    create: async (path, body, login = 'admin') => json(await site.send('POST', `/svc/v2/${path}`, body, login)),
    read: async (path) => json(await site.request(`/svc/v2/${path}?context=edit`, { headers: site.by('admin') })),
    async visit(path) {
      const response = await fetch(`${site.home}${path}`)
      return { status: response.status, html: await response.text() }
    },
  }
}
