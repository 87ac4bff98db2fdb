import { syncFilter, type CurrentUser, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { PostTypes } from '../posts/index.ts'
import type { FileTypes } from './kinds.ts'

/** The hooks of uploads. */
interface MediaHooks {
  /**
   * Filter: the MIME types of the files that a person may upload, by the ending of the name in lower case. What a
   * file of another type than the defaults holds is not looked at: who lets it in answers for it. @since 0.1.0
   */
  upload_mimes: SyncFilter<FileTypes, [user: CurrentUser]>
}

declare module '../../../kernel/index.ts' {
  interface ItemTypes {
    attachment: PostTypes
  }
  interface Hooks extends MediaHooks {}
}

export const mediaHooks: HookSpecs<MediaHooks> = {
  upload_mimes: syncFilter('types', 'user'),
}
