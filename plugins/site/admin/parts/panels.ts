import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { PluginPart, Panel } from '../admin.ts'
import { failedPart } from '../frame/failed-part.ts'
import type { AdminView } from '../frame/view.ts'

/** Returns the panels of plugins on a page that the user can see. @param place as for `addPanel` */
export function openPanels(view: AdminView, place: string): PluginPart<Panel>[] {
  const panels = view.plugin.services.admin.panels(place)
  return panels.filter(({ capability }) => capability === undefined || view.can(capability))
}

/** Returns the messages of the panels of plugins that refuse a form, by name of the field. @param item as for `check` */
export async function checkPanels(
  view: AdminView,
  place: string,
  item: Readonly<Record<string, unknown>> | null,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const panel of openPanels(view, place)) Object.assign(found, await panel.check?.(view, item, view.form))
  return found
}

/**
 * Renders each panel in a box; a panel that throws shows an error text.
 * @param item as for `show` of a panel
 */
export async function panelBoxes(
  view: AdminView,
  place: string,
  item: Readonly<Record<string, unknown>> | null,
): Promise<PageHtml[]> {
  const boxes = openPanels(view, place).map(async (panel) => {
    const content = await contentOf(view, panel, item)
    const id = `panel-${panel.name}`
    return content === null
      ? []
      : [
          html`<section class="card" aria-labelledby="${id}">
            <h2 id="${id}">${view.t(panel.title)}</h2>
            ${content}
          </section>`,
        ]
  })
  return (await Promise.all(boxes)).flat()
}

async function contentOf(
  view: AdminView,
  { plugin, name, show }: PluginPart<Panel>,
  item: Readonly<Record<string, unknown>> | null,
): Promise<PageHtml | null> {
  try {
    const content = await show(view, item)
    return content === null ? null : html`${content}`
  } catch (error) {
    return failedPart(view, { plugin, part: `panel ${name}` }, error)
  }
}
