import { boot } from '../../data/boot.ts'

/** Whether my role may write these: `deals`, `notes`, `tasks`. What may not be written stays readable. */
export const mayWrite = (kind: string): boolean => boot.value.capabilities.includes(`rest.crm.${kind}.write`)
