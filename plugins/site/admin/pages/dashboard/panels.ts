import type { Panel } from '../../admin.ts'

/** The panels of the dashboard, loaded on the first request. */
export const dashboardPanels: readonly Panel[] = [
  {
    name: 'quick-draft',
    title: 'Quick draft',
    show: async (view) => (await import('./quick-draft.ts')).quickDraft(view),
  },
  { name: 'glance', title: 'At a glance', show: async (view) => (await import('./glance.ts')).glance(view) },
  { name: 'start', title: 'Quick links', show: async (view) => (await import('./writing.ts')).quickLinks(view) },
  { name: 'drafts', title: 'Drafts', show: async (view) => (await import('./writing.ts')).drafts(view) },
  { name: 'scheduled', title: 'Scheduled posts', show: async (view) => (await import('./writing.ts')).scheduled(view) },
  {
    name: 'comments',
    title: 'Pending comments',
    capability: 'moderate_comments',
    show: async (view) => (await import('./comments.ts')).heldComments(view),
    save: async (view) => (await import('./comments.ts')).approve(view),
  },
  { name: 'changes', title: 'Recent activity', show: async (view) => (await import('./changes.ts')).changes(view) },
  {
    name: 'health',
    title: 'Health',
    capability: 'install_plugins',
    show: async (view) => (await import('./system.ts')).health(view),
  },
]
