import type { Renderer } from '../renderer.ts'
import { renderAccordion, renderAccordionHeading, renderAccordionItem } from './accordion.ts'
import { renderTabList, renderTabPanel, renderTabPanels, renderTabs } from './tabs.ts'

/** Renderers of blocks whose parts readers open, by name. */
export const sectionRenderers: Readonly<Record<string, Renderer>> = {
  accordion: renderAccordion,
  'accordion-heading': renderAccordionHeading,
  'accordion-item': renderAccordionItem,
  'tab-list': renderTabList,
  'tab-panel': renderTabPanel,
  'tab-panels': renderTabPanels,
  tabs: renderTabs,
}
