import { messageOf, RequestCache, type PluginContext } from '../../../kernel/index.ts'

/** Name of the job that completes imported images. */
const JOB = 'complete-imported-images'
/** Images per job. */
const IMAGES_PER_JOB = 50
/** Seconds for the images of a job. */
const TIMEOUT_S = 1800

/**
 * Handles the jobs that complete imported images: each image is measured, sizes without files are forgotten, and the
 * sizes of this site are created.
 */
export function completeImages({ log, services }: PluginContext): void {
  services.jobs.handle(JOB, {
    schema: {
      type: 'object',
      properties: { ids: { type: 'array', items: { type: 'integer' }, required: true } },
    },
    timeout: TIMEOUT_S,
    run: async ({ ids }, { signal }) => {
      for (const id of ids) {
        signal.throwIfAborted()
        const post = await services.posts.get(id, new RequestCache())
        if (post?.type !== 'attachment' || !post.mime_type.startsWith('image/')) continue
        try {
          await services.media.repair(post)
        } catch (error) {
          signal.throwIfAborted()
          log.warn(
            { err: error as Error },
            `the sizes of the imported image ${id} were not created: ${messageOf(error)}`,
          )
        }
      }
    },
  })
}

/** Adds jobs for imported attachments. A command does not run them: the server does. */
export async function addImageJobs({ services }: PluginContext, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += IMAGES_PER_JOB)
    await services.jobs.add(JOB, { ids: ids.slice(start, start + IMAGES_PER_JOB) })
}
