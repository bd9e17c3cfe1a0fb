import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { settings } from '../shared/vite.ts'
import { relay } from './relay-plugin.ts'

export default defineConfig({ ...settings, plugins: [relay(), react()] })
