import { threeMembers } from './support/three-members.ts'

threeMembers(0)
