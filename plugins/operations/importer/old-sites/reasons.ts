/** Reason in the report for objects of an earlier import that were deleted here. */
export const DELETED_HERE = 'deleted here; add them again with --restore'
/** Reason in the report for objects that differ from the file and were changed here. */
export const CHANGED_HERE = 'changed here; kept'
